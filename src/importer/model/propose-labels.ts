import type { TransformSpec } from '../../transforms/index.ts'
import type { TaskRecord } from './task-record.ts'
import { finalSchema } from './task-schema.ts'

/** Proposes an additional column with the labels of coded values. Never applied automatically. */
export interface LabelsProposal {
  kind: 'labels'
  transform: TransformSpec
  evidence: string
}

const type = 'CodedValueLabelTransform'
const shownLabels = 5

/**
 * Proposes columns with coded values whose labels are in the data but not yet loaded by the chain of the
 * task.
 */
export function proposeLabels(task: TaskRecord): LabelsProposal[] {
  const { source, transforms } = task
  if (source?.schema.attributes.some(({ labels }) => labels !== undefined) !== true) return []
  const done = transforms.filter(({ spec }) => spec.type === type).map(({ spec }) => spec.field)
  return attributesOf(task).flatMap(({ name, labels }): LabelsProposal[] => {
    if (labels === undefined || done.includes(name)) return []
    const all = Object.entries(labels)
    const shown = all.slice(0, shownLabels).map(([code, label]) => `${code} = ${label}`)
    const rest = all.length > shown.length ? ` and ${all.length - shown.length} more` : ''
    const evidence = `Column "${name}" contains codes with labels: ${shown.join(', ')}${rest}`
    return [{ kind: 'labels', transform: { type, field: name, labelField: `${name}_label` }, evidence }]
  })
}

/** Returns no attributes if the chain does not fit the data, which the task reports elsewhere. */
function attributesOf(task: TaskRecord): ReturnType<typeof finalSchema>['attributes'] {
  try {
    return finalSchema(task).attributes
  } catch {
    return []
  }
}
