import type { Call } from '../../api/client.ts'

/** Types of stores that people make; the others come into being by imports. */
export const storeTypes = ['PostGIS', 'GeoPackage'] as const
export type StoreType = (typeof storeTypes)[number]

/** TLS modes, from none to checking the certificate's name. */
export const encryptions = ['disable', 'require', 'verify-ca', 'verify-full'] as const

/** Connection parameters by name. */
export type Entries = Record<string, string>

/** Mask of a secret; sending it back keeps the secret. */
export const hiddenSecret = '********'

const firstValues: Record<string, Entries> = {
  PostGIS: {
    host: 'localhost',
    port: '5432',
    database: '',
    schema: 'public',
    user: '',
    passwd: '',
    sslmode: 'disable',
  },
  GeoPackage: { path: '' },
}
/** Parameters that the server sets. */
const ownNames = new Set(['dbtype', 'read_only'])

/** Returns the parameters of a form: those of the type, and others that a store has. */
export function shownEntries(type: string, now: Entries | undefined): Entries {
  const first = firstValues[type] ?? {}
  if (now === undefined) return first
  const empty = Object.fromEntries(Object.keys(first).map((name) => [name, '']))
  return Object.fromEntries(Object.entries({ ...empty, ...now }).filter(([name]) => !ownNames.has(name)))
}

/** Returns the connection parameters in a form; for an existing store only the changed ones. */
export function connectionOf(data: FormData, type: string, now: Entries = {}): Entries {
  const given = [...data].flatMap(([key, value]) =>
    key.startsWith('connection.') ? [[key.slice('connection.'.length), String(value)] as const] : [],
  )
  const isNew = Object.keys(now).length === 0
  const changed = given.filter(([name, value]) =>
    isNew ? value !== '' : value !== shownValue(name, now[name]),
  )
  const entries = Object.fromEntries(changed)
  return isNew && type === 'PostGIS' ? { dbtype: 'postgis', ...entries } : entries
}

function shownValue(name: string, value: string | undefined): string {
  if (name === 'sslmode') return value ?? 'disable'
  return value === undefined || value === hiddenSecret ? '' : value
}

/** Returns the request for copying, without secrets. */
export function withoutSecrets(call: Call): Call {
  const text = JSON.stringify(call.body, (key, value: unknown) =>
    (key === 'passwd' || key === 'password') && value !== '' ? 'PASSWORD' : value,
  )
  return { ...call, body: JSON.parse(text) as unknown }
}
