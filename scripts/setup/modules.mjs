import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { npmFailure, runNpm, say } from './run.mjs'

/** Installs the packages of the lock file if the installed ones differ. */
export function installModules(root) {
  const stampFile = join(root, 'node_modules', '.setup-stamp')
  const stamp = modulesStamp(root)
  if (readIfThere(stampFile) === stamp) return
  say('Installing packages ...')
  const { ok, output } = runNpm(['ci', '--include=dev', '--ignore-scripts'], root)
  if (!ok) throw npmFailure('The packages could not be installed', output)
  writeFileSync(stampFile, stamp)
}

/** Changes when the lock file or the manifest's dependencies change. */
function modulesStamp(root) {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const lock = readFileSync(join(root, 'package-lock.json'))
  const required = JSON.stringify([manifest.dependencies, manifest.devDependencies])
  return createHash('sha256').update(required).update(lock).digest('hex')
}

function readIfThere(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
