import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { packInto } from '../../../scripts/release/pack.mjs'
import { writeProgram } from '../../../scripts/release/program-tree.mjs'
import { countFeatures, startInstalled } from '../../support/installing/installed-server.ts'
import { programIn, temporaryData } from '../../support/terrane-process.ts'

const root = join(import.meta.dirname, '..', '..', '..')
const mostBytes = 6_000_000

// With the npm registry: tests/release/npm-package.test.ts.
describe('the npm package', () => {
  const packed = temporaryData({ after })
  let tarball = ''
  let files: string[] = []

  before(async () => {
    tarball = await packInto(packed)
    const { stdout } = spawnSync('tar', ['--list', '--file', tarball], { encoding: 'utf8' })
    files = stdout.trim().split('\n')
  })

  it('has less than 6 MB', () => {
    const { length } = readFileSync(tarball)
    assert.ok(length < mostBytes, `${length} bytes`)
  })

  it('has JavaScript with source maps and built pages, but no sources, tests or benchmarks', () => {
    assert.ok(files.includes(programIn('package')))
    assert.ok(files.includes('package/build/pages/pages.json'))
    assert.ok(files.some((path) => /^package\/build\/package\/\w+\/main\.js$/.test(path)))
    assert.ok(files.some((path) => /^package\/build\/package\/\w+\/.*\.js\.map$/.test(path)))
    assert.deepEqual(
      files.filter((path) =>
        /\.tsx?$|\.test\.|^package\/(?:tests|bench|scripts|web|node_modules)\//.test(path),
      ),
      [],
    )
  })

  it('has the licences of what is bundled', () => {
    const path = 'package/build/package/third-party-licences.txt'
    const { stdout } = spawnSync('tar', ['--extract', '--to-stdout', '--file', tarball, path], {
      encoding: 'utf8',
    })
    for (const name of ['fastify', 'kysely', 'maplibre-gl', 'preact', 'jsts'])
      assert.match(stdout, new RegExp(`^${name} \\d`, 'm'))
  })

  it('serves and imports the sample without anything of the checkout, with an empty environment', async (t) => {
    const folder = temporaryData(t)
    const program = join(folder, 'program')
    const cwd = join(folder, 'empty')
    mkdirSync(cwd)
    await writeProgram(root, program)
    const server = await startInstalled(t, {
      program: join(program, 'runtime', 'node'),
      args: [programIn(program), 'serve', '--port', '0'],
      cwd,
      env: { PATH: dirname(process.execPath) },
    })
    assert.equal(await countFeatures(server.url, 'default:countries'), 242)
    const page = await fetch(`${server.url}/app`, { headers: { 'accept-encoding': 'gzip' } })
    const script = /src="([^"]+\.js)"/.exec(await page.text())?.[1] ?? ''
    const loaded = await fetch(new URL(script, server.url), { headers: { 'accept-encoding': 'gzip' } })
    assert.equal(loaded.status, 200)
    assert.equal(loaded.headers.get('content-encoding'), 'gzip')
    assert.ok((await loaded.text()).length > 1000)
    assert.equal(await server.stop('SIGTERM'), 0)
  })
})
