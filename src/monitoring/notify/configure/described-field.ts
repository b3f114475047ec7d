import { findMetric } from '../../metrics/metrics.ts'
import type { EventType } from '../../model/event-types.ts'
import { comparisonLimits } from '../comparisons/comparisons.ts'
import type { Check, Definition, DefinitionBounds, Threshold } from '../model/model.ts'
import { fieldName } from '../model/model.ts'
import { calculatedSteps } from '../model/steps.ts'

/** Parts of a threshold's scope: each is a separate field whose name begins with the threshold's. */
export const scopeParts = [
  { part: 'service', caption: 'service', isUsed: (bounds: DefinitionBounds) => bounds.usesService },
  { part: 'resource', caption: 'resource', isUsed: (bounds: DefinitionBounds) => bounds.usesResource },
  { part: 'label', caption: 'label', isUsed: (bounds: DefinitionBounds) => bounds.usesLabel },
  {
    part: 'ows_service',
    caption: 'OWS service',
    isUsed: (bounds: DefinitionBounds) => bounds.usesOwsService,
  },
] as const
/** Suffix of the name of a field. */
export type ScopePart = (typeof scopeParts)[number]['part']

/** A field of a check's configuration with its value, as shown in responses and forms. */
export interface DescribedField {
  definition: Definition
  name: string
  /** Absent if the metric no longer exists. */
  metricId?: number
  /** Unit of the limit; empty for plain numbers. */
  unit: string
  /** True if the limit is a duration in seconds. */
  isDuration: boolean
  /** Absent if any number between the bounds is valid. */
  choices?: string[]
  scope: NamedScope
}

/** Scope of a threshold; default: everything. */
export interface NamedScope {
  service?: string
  resourceId?: number
  label?: string
  eventType?: EventType
}

type NamedServices = readonly { id: number; name: string }[]

/** Returns the fields of a check, one per definition. */
export function describeCheckFields({ definitions }: Check, services: NamedServices): DescribedField[] {
  return definitions.map((definition) => {
    const { option, bounds, threshold } = definition
    const metric = findMetric(definition.metric)
    const { isDuration, unit } = comparisonLimits(option)
    return {
      definition,
      name: fieldName(definition),
      unit: unit(metric),
      isDuration,
      metricId: metric?.id,
      choices: calculatedSteps(bounds),
      scope: namedScope(threshold, services),
    }
  })
}

function namedScope(threshold: Threshold | undefined, services: NamedServices): NamedScope {
  const { serviceId, resourceId, label, eventType } = threshold ?? {}
  const service = services.find(({ id }) => id === serviceId)?.name
  return { service, resourceId, label, eventType }
}
