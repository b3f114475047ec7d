import { invalid } from '../../core/errors/errors.ts'
import type { DatabaseAddress } from '../../core/postgres/address.ts'
import { findTlsMode, tlsNames } from '../../core/postgres/address.ts'
import type { StoreParameters } from '../store.ts'

export interface ConnectionSettings extends DatabaseAddress {
  schema: string
}

/**
 * Reads the settings from the parameters of a PostGIS store; throws a `Failure` (`invalid`) that names
 * missing ones.
 */
export function parseConnectionSettings(parameters: StoreParameters): ConnectionSettings {
  const text = (name: string, fallback: string): string => parameters[name]?.trim() || fallback
  const port = text('port', '5432')
  const settings = {
    host: text('host', 'localhost'),
    port: Number(port),
    database: text('database', ''),
    schema: text('schema', 'public'),
    user: text('user', ''),
    password: parameters['passwd'] ?? '',
  }
  const mode = text('SSL mode', text('sslmode', 'disable'))
  const tls = findTlsMode(mode)
  const problems: string[] = []
  if (tls === undefined) {
    problems.push(`The parameter "SSL mode" is "${mode}", not one of ${tlsNames.join(', ')}`)
  }
  if (settings.database === '') problems.push('The parameter "database" is missing')
  if (settings.user === '') problems.push('The parameter "user" is missing')
  if (!/^\d{1,5}$/.test(port) || settings.port < 1 || settings.port > 65535) {
    problems.push(`The parameter "port" is "${port}", not a number from 1 to 65535`)
  }
  if (problems.length > 0) throw invalid('store-connection', problems.join('; '), { errors: problems })
  return tls === undefined ? settings : { ...settings, tls }
}
