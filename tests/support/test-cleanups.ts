import type { Cleanup } from './terrane-process.ts'

/** Collects clean-ups of a `describe` block, which run in reverse order. */
export function testCleanups(): Cleanup & { run(): Promise<void> } {
  const works: (() => unknown)[] = []
  return {
    after: (work) => {
      works.push(work as () => unknown)
    },
    run: async () => {
      for (const work of works.splice(0).reverse()) await work()
    },
  }
}
