import { after } from 'node:test'

type Hook = () => unknown

const fileHooks = new Set<Hook>()
const processHooks = new Set<Hook>()
let isShared = false

/** Records that several test files run one after another in this process. */
export function shareProcess(): void {
  isShared = true
}

/** Runs a function after the last test of each file of this process. Call it at the top level of a support module. */
export function afterEachFile(hook: Hook): void {
  fileHooks.add(hook)
  if (!isShared) after(hook)
}

/** True if several test files run in this process. */
export function isProcessShared(): boolean {
  return isShared
}

/** Closes at once what a file is done with, or after the last file where others of this process use it too. */
export async function closeAfterLastFile(close: Hook): Promise<void> {
  if (isShared) processHooks.add(close)
  else await close()
}

/** Runs the functions of {@link afterEachFile}. Throws the first failure. */
export function runAfterFile(): void {
  for (const hook of fileHooks) hook()
}

/** Closes the resources registered with {@link closeAfterLastFile}. */
export async function closeSharedResources(): Promise<void> {
  for (const close of processHooks) await close()
  processHooks.clear()
}
