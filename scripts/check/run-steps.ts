import type { Step } from './steps.ts'

/** Runs the steps in parallel, reports the result of each, and returns true if all passed. */
export async function runSteps(steps: Step[], say: (line: string) => void): Promise<boolean> {
  const passed = await Promise.all(
    steps.map(async (step) => {
      const start = performance.now()
      const problems = await step.run()
      const seconds = ((performance.now() - start) / 1000).toFixed(1)
      say(
        problems === ''
          ? `ok    ${step.name} (${seconds} s)`
          : `WRONG ${step.name} (${seconds} s)\n${problems}`,
      )
      return problems === ''
    }),
  )
  return passed.every(Boolean)
}
