import type { StoreDescription } from '../description.ts'
import type { StoreConnection } from '../store.ts'
import { parseConnectionSettings } from './connection-settings.ts'
import { createPostgisStore } from './postgis-store.ts'

/** A schema of a PostgreSQL database with PostGIS. */
export const postgis = {
  type: 'PostGIS',
  names: ['postgis'],
  defaults: { dbtype: 'postgis' },
  secrets: ['passwd', 'password'],
  can: {
    takesLoads: true,
    oneLoadAtATime: false,
    hasIndexes: true,
    outcomesLast: true,
    countsFast: false,
    findsTileRows: true,
    readsTilesTogether: true,
    comparesLoads: true,
  },
  server: {
    database: 'postgis',
    address: ['host', 'port'],
    addressOf: parseConnectionSettings,
    passwordScope: ['host', 'port', 'database', 'user'],
  },
  open: ({ parameters, reach }: StoreConnection) => createPostgisStore(parameters, reach),
} satisfies StoreDescription
