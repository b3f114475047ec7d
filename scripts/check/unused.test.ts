import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { it } from 'node:test'
import { unusedProblems } from './unused.ts'

const project = join(import.meta.dirname, '..', '..')

function write(root: string, files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
}

it('finds files, exports and packages that nothing uses, and what tests alone use', async (t) => {
  const root = mkdtempSync(join(tmpdir(), 'terrane-unused-'))
  t.after(() => rmSync(root, { recursive: true }))
  symlinkSync(join(project, 'node_modules'), join(root, 'node_modules'))
  write(root, {
    'package.json': JSON.stringify({ name: 'small', type: 'module', dependencies: { pg: '1' } }),
    'knip.json': JSON.stringify({
      entry: ['src/main.ts!', 'src/**/*.test.ts'],
      project: ['src/**/*.ts!', '!src/**/*.test.ts!'],
    }),
    'src/main.ts': "import { used } from './a.ts'\nused()",
    'src/a.ts': [
      'export const used = (): number => inner',
      'export const inner = 1',
      'export const tested = 2',
      'export const shared = 3',
      'export const more = shared + 1',
    ].join('\n'),
    'src/alone.ts': 'export const alone = 1',
    'src/a.test.ts': "import { more, shared, tested } from './a.ts'\nconsole.log(more, shared, tested)",
  })
  assert.deepEqual((await unusedProblems(root)).sort(), [
    'nothing uses the package pg',
    'src/a.ts:2 exports inner, which nothing imports',
    'src/a.ts:3 exports tested, which tests alone use',
    'src/a.ts:5 exports more, which tests alone use',
    'src/alone.ts is imported by nothing',
  ])
})
