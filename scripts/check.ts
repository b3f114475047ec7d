// `npm run check`: format, lint, types, layers, and the unit tests that need neither a database nor GDAL.
import { dirname } from 'node:path'
import { runSteps } from './check/run-steps.ts'
import { staticSteps } from './check/steps.ts'
import { unitTestStep } from './check/unit-tests.ts'

const root = dirname(import.meta.dirname)
const say = (line: string): void => console.log(line)

const isStaticallyRight = await runSteps(staticSteps(root), say)
const areTestsRight = await runSteps([unitTestStep(root)], say)
process.exitCode = isStaticallyRight && areTestsRight ? 0 : 1
