import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { it } from 'node:test'
import { packInto } from '../../scripts/release/pack.mjs'
import { countFeatures, startInstalled } from '../support/installing/installed-server.ts'
import { temporaryData } from '../support/terrane-process.ts'

const mostInstalledMegabytes = 220
/** Environment that npm needs on some machines to reach the registry; Terrane does not use it. */
const registryVariables = ['NODE_EXTRA_CA_CERTS', 'HTTPS_PROXY', 'https_proxy', 'npm_config_registry']

// What is in the package: tests/extended/installing/npm-package.test.ts.
it('npx from the tarball serves and imports in an empty folder, with packages from the registry', async (t) => {
  const folder = temporaryData(t)
  const tarball = await packInto(join(folder, 'packed'))
  const cwd = join(folder, 'empty')
  mkdirSync(cwd)
  const home = join(folder, 'home')
  mkdirSync(home)
  const variables = registryVariables.flatMap((name) => {
    const value = process.env[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  const env = {
    HOME: home,
    PATH: `${dirname(process.execPath)}:/usr/bin:/bin`,
    ...Object.fromEntries(variables),
  }
  const server = await startInstalled(t, {
    program: 'npx',
    args: ['--yes', `--package=${tarball}`, 'terrane', 'serve', '--port', '0'],
    cwd,
    env,
  })
  assert.equal(await countFeatures(server.url, 'default:countries'), 242)
  const size = spawnSync('du', ['--summarize', '--block-size=1M', join(home, '.npm', '_npx')], {
    encoding: 'utf8',
  })
  const megabytes = Number.parseInt(size.stdout, 10)
  t.diagnostic(`${readFileSync(tarball).length} bytes packed, ${megabytes} MiB installed`)
  t.diagnostic(`${server.seconds.toFixed(0)} s from npx to the imported sample`)
  assert.ok(megabytes <= mostInstalledMegabytes, `${megabytes} MiB`)
  await server.stop('SIGTERM')
})
