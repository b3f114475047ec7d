import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'

const root = join(import.meta.dirname, '..', '..')
/** Licences that ask for nothing but that their text stays with the package. */
const plain = [
  'MIT',
  'MIT-0',
  'ISC',
  'BSD-2-Clause',
  'BSD-3-Clause',
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'Unlicense',
  'CC0-1.0',
  'Zlib',
]

interface Package {
  license?: string
  licenses?: { type: string }[]
}

function isPlain({ license, licenses }: Package): boolean {
  const words = (license ?? licenses?.map(({ type }) => type).join(' AND ') ?? '')
    .replace(/[()]/g, '')
    .split(' AND ')
  return words.every((word) => plain.includes(word))
}

it('NOTICE names every installed package that asks for it', () => {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: boolean; devOptional?: boolean }>
  }
  const notice = readFileSync(join(root, 'NOTICE'), 'utf8')
  const expected = Object.entries(lock.packages).flatMap(([path, { dev, devOptional }]) => {
    const folder = join(root, path)
    if (path === '' || dev === true || devOptional === true || !existsSync(join(folder, 'package.json')))
      return []
    const reported = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Package
    const hasNotice = readdirSync(folder).some((name) => /^notice/i.test(name))
    return isPlain(reported) && !hasNotice ? [] : [path.replace(/^.*node_modules\//, '')]
  })
  assert.ok(expected.includes('7z-wasm'))
  assert.deepEqual(
    expected.filter((name) => !notice.includes(name)),
    [],
  )
})
