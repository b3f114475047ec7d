import { findMetric } from '../../metrics/metrics.ts'
import { comparisonNames, findComparison } from '../comparisons/comparisons.ts'
import { toAmount } from '../model/amount.ts'
import type { NewDefinition } from '../model/model.ts'
import { fieldName } from '../model/model.ts'

const maxDefinitions = 100
const maxSteps = 1000
const maxDescription = 1000
const elements = 10
const maxMessages = 20

/**
 * Reads the definitions in `user_thresholds`, a list of 10-element lists; `errors` describes invalid
 * elements.
 */
export function readDefinitions(given: unknown): { definitions: NewDefinition[]; errors: string[] } {
  const list = typeof given === 'string' ? parseJson(given) : given
  if (!Array.isArray(list)) return wrong('Enter a JSON list of 10-element lists.')
  if (list.length === 0) return wrong('This field is required.')
  if (list.length > maxDefinitions) return wrong(`Ensure this list has at most ${maxDefinitions} elements.`)
  const errors: string[] = []
  const definitions: NewDefinition[] = []
  const names = new Set<string>()
  list.forEach((element: unknown, index) => {
    const read = readElement(element)
    if (typeof read !== 'string' && names.has(fieldName(read)))
      errors.push(`Element ${index + 1}: ${fieldName(read)} is there already.`)
    else if (typeof read === 'string') errors.push(`Element ${index + 1}: ${read}`)
    else {
      names.add(fieldName(read))
      definitions.push(read)
    }
  })
  return { definitions, errors: errors.slice(0, maxMessages) }
}

function wrong(message: string) {
  return { definitions: [], errors: [message] }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Returns an error message if the element is invalid. */
function readElement(element: unknown): NewDefinition | string {
  if (!Array.isArray(element) || element.length !== elements)
    return `a list of ${elements} elements is expected.`
  const [metric, option, service, resource, label, owsService, min, max, steps, description] =
    element as unknown[]
  if (typeof metric !== 'string' || findMetric(metric) === undefined)
    return `there is no metric ${shown(metric)}.`
  if (typeof option !== 'string' || findComparison(option) === undefined)
    return `${shown(option)} is none of ${comparisonNames.join(', ')}.`
  const flags = [service, resource, label, owsService].map(toFlag)
  if (flags.includes(undefined)) return 'elements 3 to 6 are true or false.'
  const [usesService = false, usesResource = false, usesLabel = false, usesOwsService = false] = flags
  const bounds = readBounds(min, max, steps)
  if (typeof bounds === 'string') return bounds
  if (typeof description !== 'string' || description.trim() === '' || description.length > maxDescription)
    return `element 10 is a description of at most ${maxDescription} characters.`
  if (/\p{Cc}/u.test(description)) return 'the description has control characters.'
  const scopes = { usesService, usesResource, usesLabel, usesOwsService }
  return { metric, option, description: description.trim(), bounds: { ...bounds, ...scopes } }
}

function toFlag(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value
  if (value === null) return false
  return value === 0 || value === 1 ? value === 1 : undefined
}

function readBounds(min: unknown, max: unknown, steps: unknown) {
  const [least, most] = [min, max].map((one) => (one === null ? null : toAmount(one)))
  if (least === undefined || most === undefined)
    return 'elements 7 and 8, minimum and maximum, are numbers or null.'
  if (least !== null && most !== null && least > most) return 'the minimum is above the maximum.'
  const read = readSteps(steps)
  if (read === undefined)
    return `element 9, the steps, is a number from 1 to ${maxSteps}, a list of at most ${maxSteps} numbers, or null.`
  const outside = (one: number): boolean => (least !== null && one < least) || (most !== null && one > most)
  if (Array.isArray(read) && read.some(outside)) return 'a step is below the minimum or above the maximum.'
  return { min: least, max: most, steps: read }
}

function readSteps(value: unknown): number | number[] | null | undefined {
  if (value === null || value === '') return null
  if (Array.isArray(value)) {
    const numbers = value.slice(0, maxSteps + 1).map(toAmount)
    const isRight = numbers.length > 0 && numbers.length <= maxSteps
    return isRight && numbers.every((one) => one !== undefined) ? numbers : undefined
  }
  const count = toAmount(value)
  return count !== undefined && Number.isInteger(count) && count >= 1 && count <= maxSteps ? count : undefined
}

function shown(value: unknown): string {
  return String(JSON.stringify(value)).slice(0, 60)
}
