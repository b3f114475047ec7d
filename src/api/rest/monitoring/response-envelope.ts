/** Envelope of many monitoring responses. */
export interface ResponseEnvelope<T> {
  status: 'ok'
  success: true
  errors: Record<string, never>
  data: T
}

/** `{status, success, errors}` without data. */
export function okStatus(): Omit<ResponseEnvelope<never>, 'data'> {
  return { status: 'ok', success: true, errors: {} }
}

/** Returns the envelope of a successful response: `{...envelope({ key: 'labels' }), labels }`. */
export function envelope<T>(data: T): ResponseEnvelope<T> {
  return { ...okStatus(), data }
}
