/** What a request does with a layer, each with its place in stored rows, which is never given to another. */
export const usageClasses = [
  'other',
  'tiles',
  'maps',
  'features',
  'downloads',
  'metadata',
  'imports',
] as const
/** One of `usageClasses`; `other` is everything that is none of the rest, such as a page. */
export type UsageClass = (typeof usageClasses)[number]

/** Classes in which the data themselves are delivered: requests in the sense of COUNTER. */
export const dataClasses: readonly UsageClass[] = ['features', 'downloads']

/** Classes in which a layer is looked at: investigations in the sense of COUNTER, requests among them. */
export const investigationClasses: readonly UsageClass[] = ['tiles', 'maps', 'metadata', ...dataClasses]
