// `node scripts/release/pack.mjs [folder]`: writes the npm package into a folder (default: build/release) and prints its path.
// `npm pack` writes the same bytes: see scripts/release/manifest.mjs.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { runNpm, SetupError, say } from '../setup/run.mjs'
import { stagePackage } from './package-files.mjs'

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))

/** Writes the package of the sources in `root` into a folder and returns its path. */
export async function packInto(folder) {
  mkdirSync(folder, { recursive: true })
  const stage = mkdtempSync(join(tmpdir(), 'terrane-package-'))
  try {
    const { name, version } = await stagePackage(root, stage)
    const { ok, output } = runNpm(['pack', '--ignore-scripts', '--pack-destination', folder], stage)
    if (!ok) throw new SetupError(`npm pack failed:\n${output}`)
    return join(folder, `${name}-${version}.tgz`)
  } finally {
    rmSync(stage, { recursive: true, force: true })
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  say(await packInto(resolve(process.argv[2] ?? join(root, 'build', 'release'))))
}
