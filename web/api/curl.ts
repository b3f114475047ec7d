import { fullAddressOf } from '../lib/base.ts'
import { type Call, callAddress } from './client.ts'

/** Returns the call as a shell command; replace `USER` by a user name. */
export function curlOf(call: Call, user = 'USER'): string {
  const { method = 'GET', body, headers = {} } = call
  const host = new URL(fullAddressOf('')).origin
  const parts = ['curl', '-u', quote(user)]
  if (method !== 'GET') parts.push('-X', method)
  const isJson =
    body !== undefined && !(body instanceof FormData) && !(body instanceof Blob) && typeof body !== 'string'
  const sent = isJson ? { 'Content-Type': 'application/json', ...headers } : headers
  for (const [name, value] of Object.entries(sent)) parts.push('-H', quote(`${name}: ${value}`))
  parts.push(quote(host + callAddress(call)))
  if (isJson) parts.push('-d', quote(JSON.stringify(body)))
  if (typeof body === 'string') parts.push('--data-binary', quote(body))
  if (body instanceof FormData) {
    for (const [name, value] of body)
      parts.push('-F', quote(`${name}=${value instanceof File ? `@${value.name}` : value}`))
  }
  return parts.join(' ')
}

/** Quotes a text as one word of a POSIX shell. */
export function quote(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
}
