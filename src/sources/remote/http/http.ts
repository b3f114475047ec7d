import type { RemoteProtocol } from '../protocol.ts'
import { HttpSession } from './http-session.ts'

/** HTTP and HTTPS. */
export const http: RemoteProtocol = {
  ports: { http: 80, https: 443 },
  open: async (_location, options) => new HttpSession(options),
}
