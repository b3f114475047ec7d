import { explain } from '../../../core/errors/errors.ts'
import type { ServerException } from './server-request.ts'

const maxLengths = { type: 255, message: 4000, stack: 20_000 }
const maxCauses = 5

/** Describes a thrown value: class, messages and stack with its causes, each truncated. */
export function describeException(error: unknown): ServerException {
  return {
    type: typeOf(error).slice(0, maxLengths.type),
    message: explain(error).slice(0, maxLengths.message),
    stack: stacksOf(error).slice(0, maxLengths.stack),
  }
}

function typeOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error
  const { name } = error.constructor
  return name === '' || name === 'Error' ? error.name : name
}

function stacksOf(error: unknown): string {
  const stacks: string[] = []
  for (let at = error; at instanceof Error && stacks.length < maxCauses; at = at.cause) {
    stacks.push(at.stack ?? String(at))
  }
  return stacks.join('\nCaused by: ')
}
