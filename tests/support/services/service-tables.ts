import { join } from 'node:path'
import { createAddressGuard } from '../../../src/inputs/remote/address-guard.ts'
import { createHostKeys } from '../../../src/inputs/remote/host-keys.ts'
import type { RemoteAccess } from '../../../src/inputs/remote/remote-access.ts'
import { readService } from '../../../src/inputs/services/read-service.ts'
import type { ServiceData, ServiceRead } from '../../../src/inputs/services/service.ts'
import type { GdalTable } from '../gdal-files.ts'
import { readTables } from '../gdal-files.ts'
import { openFolder } from '../remote-servers.ts'
import type { Cleanup } from '../terrane-process.ts'
import { patienceMs } from '../until.ts'

/** Access to services on this host. */
function localAccess(test: Cleanup): RemoteAccess {
  return {
    guard: createAddressGuard({ allow: ['127.0.0.1/32'], ownPort: () => undefined }),
    authorities: [],
    hostKeys: createHostKeys(join(openFolder(test), 'known_hosts'), false),
    s3: { region: 'us-east-1' },
    limits: {
      maxBytes: 1 << 28,
      maxEntries: 100,
      totalMs: patienceMs,
      stallMs: patienceMs,
      tries: 3,
      retryMs: 5,
    },
  }
}

/** Reads a layer of a service on this host to files. */
export function readLocalService(test: Cleanup, data: ServiceData): Promise<ServiceRead> {
  return readService(data, {
    access: localAccess(test),
    credentials: {},
    folder: join(openFolder(test), 'read'),
    signal: new AbortController().signal,
  })
}

/** Reads a layer of a service on this host as a run of a source does, with its schema and rows. */
export async function readServiceTable(test: Cleanup, data: ServiceData): Promise<GdalTable> {
  const read = await readLocalService(test, data)
  const [table] = await readTables(read.path)
  if (table === undefined) throw new Error(`Nothing was read from ${data.location}`)
  return table
}
