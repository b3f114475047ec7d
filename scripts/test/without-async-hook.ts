// Loaded before test files. The test runner of node finds the current test by an asynchronous hook, which runs for each
// promise of the process: 1,000,000 awaits take 2.1 s of CPU time with the hook and 0.07 s without. This module gives
// the runner an `AsyncLocalStorage` for the same purpose, which costs nothing per promise. The runner takes the
// replaced functions of `node:async_hooks` when it is loaded, so this module loads it; then it restores them.
import asyncHooks, { type AsyncHook, AsyncLocalStorage, type HookCallbacks } from 'node:async_hooks'
import { isMainThread } from 'node:worker_threads'
import { watchHook } from './thrown-hooks.ts'

const { AsyncResource, createHook, executionAsyncId, triggerAsyncId } = asyncHooks
const currentTest = new AsyncLocalStorage<number>()
let callbacks: HookCallbacks = {}

/** Base class of the runner's tests, suites and hooks. */
class TestResource extends AsyncResource {
  constructor(type: string) {
    super(type)
    callbacks.init?.(this.asyncId(), type, triggerAsyncId(), this)
  }

  override runInAsyncScope<This, Result>(
    run: (this: This, ...args: unknown[]) => Result,
    receiver?: This,
    ...args: unknown[]
  ): Result {
    const runTest = (): Result => currentTest.run(this.asyncId(), () => Reflect.apply(run, receiver, args))
    const { hookType } = this as { hookType?: string }
    const { name } = (receiver ?? {}) as { name?: string }
    const isAfterHook = hookType === 'after' && name !== undefined
    return super.runInAsyncScope(isAfterHook ? () => watchHook(name, runTest) : runTest)
  }
}

/** Keeps the runner's callbacks for {@link TestResource} instead of registering them for all resources of the process. */
function createTestHook(given: HookCallbacks): AsyncHook {
  callbacks = given
  const hook: AsyncHook = { enable: () => hook, disable: () => hook }
  return hook
}

if (isMainThread && process.env['NODE_TEST_CONTEXT'] !== undefined) await loadRunner()

async function loadRunner(): Promise<void> {
  Object.assign(asyncHooks, {
    AsyncResource: TestResource,
    createHook: createTestHook,
    executionAsyncId: () => currentTest.getStore() ?? executionAsyncId(),
  })
  await import('node:test')
  Object.assign(asyncHooks, { AsyncResource, createHook, executionAsyncId })
}
