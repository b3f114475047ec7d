import type { App } from '../api/app-types.ts'
import type { ServerSettings } from '../core/config/settings.ts'
import { ownValue } from '../core/values/record-keys.ts'

/** Advice on errors, by the code of the system. */
const advice: Record<string, (host: string, port: number) => string> = {
  EADDRINUSE: (host, port) =>
    `Port ${port} of ${host} is in use by another program: TERRANE_PORT names another one, 0 takes a free one`,
  EACCES: (_host, port) =>
    `This user may not listen on port ${port}: TERRANE_PORT names another one, such as 8080`,
  EADDRNOTAVAIL: (host) => `This machine has no address ${host}: TERRANE_HOST names one, such as 127.0.0.1`,
  ENOTFOUND: (host) => `The host ${host} is not known: TERRANE_HOST names an address of this machine`,
}

/** Starts listening and returns the address. Throws an `Error` that names the setting to change. */
export async function listen(app: App, { host, port }: ServerSettings): Promise<string> {
  try {
    return await app.listen({ host, port })
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    const advise = ownValue(advice, code)
    if (advise === undefined) throw error
    throw new Error(advise(host, port), { cause: code })
  }
}
