// Makes a fresh clone ready: packages, Node 24, the pages, the bundle of the server, and the programs that Terrane or its tests call.
// Plain JavaScript that runs on any Node from 18. With `--tests` it also installs the programs that `npm test` needs, such as
// PostgreSQL with PostGIS, and with `--tests=extended` or `--tests=release` those that these tests need.
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { restoreManifest } from './release/manifest.mjs'
import { installModules } from './setup/modules.mjs'
import { buildPages } from './setup/pages.mjs'
import { installPrograms } from './setup/programs.mjs'
import { SetupError, say } from './setup/run.mjs'
import { linkRuntime } from './setup/runtime.mjs'
import { buildServer } from './setup/server.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))

/** Returns the test tier named in the command-line arguments, or undefined. */
function testTier(words) {
  const option = words.find((word) => /^--tests(?:=|$)/.test(word))
  return option === undefined ? undefined : (option.split('=')[1] ?? 'standard')
}

try {
  restoreManifest(root)
  installModules(root)
  linkRuntime(root)
  await buildPages(root)
  await buildServer(root)
  installPrograms(root, testTier(process.argv.slice(2)))
} catch (error) {
  if (!(error instanceof SetupError)) throw error
  say(error.message)
  process.exitCode = 1
}
