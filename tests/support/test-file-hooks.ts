import { after } from 'node:test'

type Hook = () => unknown

const fileChecks = new Set<Hook>()
const processHooks = new Set<Hook>()
let isShared = false

/** Tells this module that several test files run one after another in this process. */
export function shareProcess(): void {
  isShared = true
}

/** Runs a check after the last test of each file of this process. Call it at the top level of a support module. */
export function checkAfterEachFile(check: Hook): void {
  fileChecks.add(check)
  if (!isShared) after(check)
}

/** Closes at once what a file is done with, or after the last file where others of this process use it too. */
export async function closeAfterLastFile(close: Hook): Promise<void> {
  if (isShared) processHooks.add(close)
  else await close()
}

/** Runs the checks of {@link checkAfterEachFile}. Throws the first failure. */
export function runFileChecks(): void {
  for (const check of fileChecks) check()
}

/** Closes what {@link closeAfterLastFile} has kept open. */
export async function closeSharedResources(): Promise<void> {
  for (const close of processHooks) await close()
  processHooks.clear()
}
