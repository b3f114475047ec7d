/** The shape of many answers of monitoring. */
export interface Envelope<T> {
  status: 'ok'
  success: true
  errors: Record<string, never>
  data: T
}

/** `{status, success, errors}` without data. */
export function okStatus(): Omit<Envelope<never>, 'data'> {
  return { status: 'ok', success: true, errors: {} }
}

/** The envelope of a successful answer: `{...envelope({ key: 'labels' }), labels }`. */
export function envelope<T>(data: T): Envelope<T> {
  return { ...okStatus(), data }
}
