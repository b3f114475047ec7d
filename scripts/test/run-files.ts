import { join } from 'node:path'
import { after, describe } from 'node:test'
import { pathToFileURL } from 'node:url'
import { closeSharedResources, runAfterFile, shareProcess } from '../../tests/support/test-file-hooks.ts'
import { noteFile } from './file-times.ts'
import { onThrownHook } from './thrown-hooks.ts'

/** The next file starts after this time at the latest, even if a hook of this file does not end. */
const usualHooksMs = 60_000
/** A process that is still alive so long after its last test has left something open. */
const endMs = 60_000

/**
 * Runs test files one after another in this process. Each file is a suite named after its path, and its
 * top-level hooks are hooks of that suite. A file loads after all tests of the file before have ended.
 */
export async function runTestFiles(
  root: string,
  paths: readonly string[],
  hooksMs: number = usualHooksMs,
): Promise<void> {
  shareProcess()
  for (const path of paths) await runTestFile(root, path, hooksMs)
  await closeSharedResources()
  setTimeout(endForcibly, endMs).unref()
}

async function runTestFile(root: string, path: string, hooksMs: number): Promise<void> {
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  const noteEnd = noteFile(path)
  let timer: NodeJS.Timeout | undefined
  const endFile = (): void => {
    end()
    runAfterFile()
  }
  // Node runs no hook of a suite after one that threw.
  onThrownHook((suite) => {
    if (suite === path) setImmediate(endFile)
  })
  describe(path, async () => {
    after(() => {
      timer = setTimeout(end, hooksMs)
    })
    try {
      await import(pathToFileURL(join(root, path)).href)
    } finally {
      // The last hook of the suite: those of the file have ended.
      after(endFile)
    }
  })
  await ended
  clearTimeout(timer)
  noteEnd()
}

function endForcibly(): void {
  const resources = process.getActiveResourcesInfo().join(', ')
  console.error(`The process did not end after its last test. Still open: ${resources}`)
  process.exit(1)
}
