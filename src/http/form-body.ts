import type { FastifyRequest } from './app-types.ts'

/** Whether the body was sent as a form, where an unchecked box is absent. */
export function isForm(request: FastifyRequest): boolean {
  return /^(?:application\/x-www-form-urlencoded|multipart\/form-data)\b/i.test(
    request.headers['content-type'] ?? '',
  )
}
