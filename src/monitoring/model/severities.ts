/** Impact of a problem, mildest first. */
export const severities = ['warning', 'error', 'fatal'] as const
export type Severity = (typeof severities)[number]
