import type { Fields } from '../../../core/text/fields.ts'
import { findMetric, metricsOf } from '../../metrics/metrics.ts'
import type { EventType } from '../../model/event-types.ts'
import { eventTypes, isOws } from '../../model/event-types.ts'
import type { ServiceRecord } from '../../model/records.ts'
import { resourceTypes } from '../../model/resource-types.ts'
import { comparisonLimits } from '../comparisons/comparisons.ts'
import type { ValueSource } from '../evaluate/evaluate-check.ts'
import type { Definition, Threshold } from '../model/model.ts'
import { fieldName } from '../model/model.ts'
import { limitProblem } from '../model/steps.ts'
import type { ScopePart } from './described-field.ts'

const maxLabelLength = 2000

/** Resources in the series. */
export type ResourceLookup = Pick<ValueSource, 'findResource' | 'findResourceId'>

export interface ThresholdContext {
  fields: Fields
  resources: ResourceLookup
  services: readonly Pick<ServiceRecord, 'id' | 'name' | 'type'>[]
}

/**
 * Reads a definition's threshold from a body: absent keeps it, empty disables it. Accepts an unchanged
 * imported value that is not one of the steps.
 */
export async function readThreshold(
  { fields, resources, services }: ThresholdContext,
  definition: Definition,
): Promise<Threshold | undefined> {
  const name = fieldName(definition)
  const isGiven = fields.has(name)
  const text = isGiven ? fields.text(name, { keepsEmpty: true })?.trim() : undefined
  if (isGiven && text === '') return undefined
  const value = text === undefined ? definition.threshold?.value : readLimit(fields, definition, name, text)
  if (value === undefined) return undefined
  return { value, ...(await readScope({ fields, resources, services }, definition)) }
}

function readLimit(
  fields: Fields,
  { option, bounds, threshold }: Definition,
  name: string,
  text: string,
): number | undefined {
  const value = comparisonLimits(option).parse(text)
  if (value === undefined) return fields.fail(name, 'Enter a number.')
  const problem = value === threshold?.value ? undefined : limitProblem(bounds, value)
  return problem === undefined ? value : fields.fail(name, problem)
}

async function readScope(
  { fields, resources, services }: ThresholdContext,
  definition: Definition,
): Promise<Omit<Threshold, 'value'>> {
  const { usesService, usesResource, usesLabel, usesOwsService } = definition.bounds
  const before = definition.threshold ?? { value: 0 }
  const read = (part: ScopePart, isUsed: boolean): string | null | undefined =>
    readScopeText(fields, `${fieldName(definition)}.${part}`, isUsed)
  const service = read('service', usesService)
  const resource = read('resource', usesResource)
  const label = read('label', usesLabel)
  const owsService = read('ows_service', usesOwsService)
  const serviceId =
    typeof service === 'string'
      ? findServiceFor(fields, definition, services, service)
      : kept(service, before.serviceId)
  const resourceId =
    typeof resource === 'string'
      ? await findResourceFor(fields, definition, resources, resource)
      : kept(resource, before.resourceId)
  const eventType =
    typeof owsService === 'string'
      ? findOwsFor(fields, definition, owsService)
      : kept(owsService, before.eventType)
  const labelText = typeof label === 'string' ? label : kept(label, before.label)
  return { serviceId, resourceId, label: labelText, eventType }
}

/** Reads the scope of a threshold: null for an empty text, undefined if the field is absent. */
function readScopeText(fields: Fields, name: string, isUsed: boolean): string | null | undefined {
  if (!fields.has(name)) return undefined
  const text = fields.text(name, { keepsEmpty: true, maxLength: maxLabelLength })
  if (text === '') return null
  if (text !== undefined && !isUsed) return fields.fail(name, 'This field has no such scope.')
  return text
}

function kept<T>(given: null | undefined, before: T | undefined): T | undefined {
  return given === null ? undefined : before
}

function findServiceFor(
  fields: Fields,
  definition: Definition,
  services: ThresholdContext['services'],
  name: string,
): number | undefined {
  const path = `${fieldName(definition)}.service`
  const service = services.find((one) => one.name === name)
  if (service === undefined) return fields.fail(path, `Service ${name.slice(0, 100)} does not exist.`)
  const metric = findMetric(definition.metric)
  return metric !== undefined && metricsOf(service.type).includes(metric)
    ? service.id
    : fields.fail(path, `Service ${service.name} does not measure ${definition.metric}.`)
}

/** Finds a resource by its id, or by `type=name`. */
async function findResourceFor(
  fields: Fields,
  definition: Definition,
  resources: ResourceLookup,
  text: string,
): Promise<number | undefined> {
  const id = /^\d{1,15}$/.test(text)
    ? await existingId(resources, Number(text))
    : await idOfNamed(resources, text)
  const path = `${fieldName(definition)}.resource`
  return id ?? fields.fail(path, `Resource ${text.slice(0, 100)} does not exist.`)
}

async function existingId(resources: ResourceLookup, id: number): Promise<number | undefined> {
  return (await resources.findResource(id)) === undefined ? undefined : id
}

async function idOfNamed(resources: ResourceLookup, text: string): Promise<number | undefined> {
  const [, typeName = '', name = ''] = /^([a-z_]*)=(.*)$/s.exec(text) ?? []
  const type = resourceTypes.find((one) => one === typeName)
  return name === '' || type === undefined ? undefined : resources.findResourceId({ type, name })
}

function findOwsFor(fields: Fields, definition: Definition, name: string): EventType | undefined {
  const type = eventTypes.find((one) => one === name)
  return type !== undefined && isOws(type)
    ? type
    : fields.failChoice(`${fieldName(definition)}.ows_service`, name)
}
