/** Classes of layer use, each with its position in stored rows, which is never reassigned. */
export const usageClasses = [
  'other',
  'tiles',
  'maps',
  'features',
  'downloads',
  'metadata',
  'imports',
] as const
/** One of `usageClasses`; `other` is everything else, such as a page. */
export type UsageClass = (typeof usageClasses)[number]

/** Classes in which the data themselves are delivered: requests in the sense of COUNTER. */
export const dataClasses: readonly UsageClass[] = ['features', 'downloads']

/** Classes that count as investigations in the sense of COUNTER, including requests. */
export const investigationClasses: readonly UsageClass[] = ['tiles', 'maps', 'metadata', ...dataClasses]
