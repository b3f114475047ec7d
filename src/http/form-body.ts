import type { FastifyRequest } from './app-types.ts'

/** True if the body was sent as a form, in which an unchecked checkbox is absent. */
export function isForm(request: FastifyRequest): boolean {
  return /^(?:application\/x-www-form-urlencoded|multipart\/form-data)\b/i.test(
    request.headers['content-type'] ?? '',
  )
}
