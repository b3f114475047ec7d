import type { FastifySchemaCompiler } from 'fastify'
import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import type { TLocalizedValidationError } from 'typebox/error'
import { invalid } from '../../core/errors/errors.ts'
import { ownValue } from '../../core/values/record-keys.ts'

const maxMessages = 50

const codeOfPart: Record<string, string> = {
  body: 'invalid-body',
  querystring: 'invalid-parameter',
  params: 'invalid-path',
  headers: 'invalid-header',
}

type CompiledValidator = ReturnType<typeof Compile>
const compiled = new WeakMap<TSchema, CompiledValidator>()

/** Compiles a schema on first use, which shortens the start. */
function validatorOf(schema: TSchema): CompiledValidator {
  const known = compiled.get(schema)
  if (known !== undefined) return known
  const validator = Compile(schema)
  compiled.set(schema, validator)
  return validator
}

/** Checks a part of a request against its schema: bodies strictly, text parts after turning text into values. */
export const compileValidator: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  const part = httpPart ?? 'body'
  const isConverted = part !== 'body' && hasOtherThanText(schema)
  return (input: unknown) => {
    const validator = validatorOf(schema)
    const value = isConverted ? validator.Convert(input) : input
    if (validator.Check(value)) return { value }
    const messages = describeErrors(validator.Errors(value), value)
    const [first = 'The request is not valid'] = messages
    return { error: invalid(ownValue(codeOfPart, part) ?? 'invalid-request', first, { errors: messages }) }
  }
}

/** True if texts must be converted to other types. */
function hasOtherThanText(schema: TSchema): boolean {
  const { properties } = schema as { properties?: Record<string, { type?: unknown }> }
  return properties === undefined || Object.values(properties).some(({ type }) => type !== 'string')
}

/**
 * Returns one message per invalid location, by its path; a failed union has one message with its
 * alternatives.
 */
export function describeErrors(errors: TLocalizedValidationError[], value: unknown): string[] {
  const places = new Map<string, { messages: Set<string>; choices: Set<string> }>()
  for (const error of errors) {
    const place = places.get(error.instancePath) ?? { messages: new Set(), choices: new Set() }
    places.set(error.instancePath, place)
    if (error.keyword === 'const') place.choices.add(String(error.params.allowedValue))
    else if (error.keyword === 'enum')
      for (const one of error.params.allowedValues) place.choices.add(String(one))
    else if (error.keyword === 'required')
      for (const name of error.params.requiredProperties) place.messages.add(`needs "${name}"`)
    else if (error.keyword === 'boolean') place.messages.add('is not known here')
    else if (error.keyword !== 'anyOf') place.messages.add(error.message)
  }
  const lines: string[] = []
  for (const [pointer, { messages, choices }] of places) {
    const name = pointer === '' ? 'The value' : `"${pointer.slice(1).replaceAll('/', '.')}"`
    if (choices.size > 0) messages.add(`must be one of ${[...choices].join(', ')}`)
    for (const message of messages) lines.push(`${name} ${message}${found(pointer, value)}`)
  }
  return lines.slice(0, maxMessages)
}

function found(pointer: string, root: unknown): string {
  if (/passw/i.test(pointer)) return ''
  let value = root
  for (const key of pointer.split('/').slice(1)) {
    const name = key.replaceAll('~1', '/').replaceAll('~0', '~')
    value = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined
  }
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? `, found ${JSON.stringify(value).slice(0, 80)}`
    : ''
}
