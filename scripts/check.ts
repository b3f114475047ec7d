// `npm run check`: format, lint, types, layers, and the unit tests that need neither a database nor GDAL.
import { dirname } from 'node:path'
import { runSteps } from './check/run-steps.ts'
import { staticSteps } from './check/steps.ts'
import { unitTestStep } from './check/unit-tests.ts'

const root = dirname(import.meta.dirname)
const say = (line: string): void => console.log(line)

// The unit tests take longest and are sometimes idle, so they start first and run in parallel with the other
// steps.
process.exitCode = (await runSteps([unitTestStep(root), ...staticSteps(root)], say)) ? 0 : 1
