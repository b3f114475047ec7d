// `prepack` and `postpack` of npm: `use` builds the package and puts its manifest in place of package.json while npm packs, `restore`
// puts package.json back. So `npm pack` in a checkout packs the same as scripts/release/pack.mjs.
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { SetupError, say } from '../setup/run.mjs'

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
const saved = 'build/package.json.saved'

/** Restores the manifest of the checkout if `npm pack` replaced it and was ended early. */
export function restoreManifest(folder) {
  if (existsSync(join(folder, saved))) renameSync(join(folder, saved), join(folder, 'package.json'))
}

async function useManifest() {
  restoreManifest(root)
  const { installModules } = await import('../setup/modules.mjs')
  installModules(root)
  const { buildPackage, manifestText } = await import('./package-files.mjs')
  const { manifest } = await buildPackage(root)
  writeFileSync(join(root, saved), readFileSync(join(root, 'package.json')))
  writeFileSync(join(root, 'package.json'), manifestText(manifest))
}

async function run(action) {
  try {
    if (action === 'use') await useManifest()
    else restoreManifest(root)
  } catch (error) {
    if (!(error instanceof SetupError)) throw error
    say(error.message)
    process.exitCode = 1
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await run(process.argv[2])
