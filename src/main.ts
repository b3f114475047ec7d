import { enableCompileCache } from 'node:module'
import { join } from 'node:path'
import { becomeFrugal } from './cli/become-frugal.ts'
import { bundleFolder } from './core/bundle/bundle-folder.ts'
import { mapStackTraces } from './core/bundle/stack-traces.ts'

// Keeps what Node compiled, so that the next start and each worker thread take a third of the time. That of a bundle is
// removed with it.
process.env.NODE_COMPILE_CACHE ??=
  bundleFolder === undefined
    ? join(import.meta.dirname, '..', 'node_modules', '.cache', 'node')
    : join(bundleFolder, 'cache')
if (process.argv[2] === 'serve' || process.argv[2] === 'work') becomeFrugal(process.env)
enableCompileCache()
mapStackTraces()

const { runCommandLine } = await import('./cli/command-line.ts')
process.exitCode = await runCommandLine(process.argv.slice(2), process.env)
