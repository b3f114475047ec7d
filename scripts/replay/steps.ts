import { defined } from '../../src/core/values/defined.ts'
import type { Step } from './request.ts'

/** A question. */
export const get = (path: string, more: Partial<Step> = {}): Step => ({ method: 'GET', path, ...more })
/** A request with a body. */
export const send = (method: string, path: string, body?: unknown, more: Partial<Step> = {}): Step => ({
  method,
  path,
  ...defined({ body }),
  ...more,
})
/** States of imports that do not change by themselves. */
export const ended = /^\{\s*"import":\s*\{[^[]*?"state":\s*"(?:COMPLETE|COMPLETE_ERROR|INIT_ERROR)"/
