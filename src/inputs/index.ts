// Opens files, folders, archives, remote servers and databases within limits and allowed roots. Knows no
// format and no import. Start reading at `scan.ts`.

export { extractArchive, findArchive, withoutArchiveEnding } from './archive.ts'
export type { SourceLimits, Unpacked } from './archives/unpacking.ts'
export type {
  DatabaseConnection,
  DatabaseLocation,
  DescribedDatabase,
  DescribeOptions,
} from './database/database.ts'
export { cleanEntryName, findNameFault, shownName } from './entry-name.ts'
export { findDateInName, type NamedTime } from './mosaic/date-in-name.ts'
export { isInside, realPathOf, resolveInRoots } from './path-guard.ts'
export { type FetchProgress, fetchRemote } from './remote/fetch-remote.ts'
export { isLocalLocation, parseLocation } from './remote/parse-location.ts'
export { probeRemote } from './remote/probe-remote.ts'
export type { RemoteCredentials } from './remote/protocol.ts'
export { createRemoteAccess, type RemoteAccess } from './remote/remote-access.ts'
export { isSkippedName, scanFile, scanFolder } from './scan.ts'
export { readService } from './services/read-service.ts'
export {
  type ServiceData,
  serviceKinds,
} from './services/service.ts'
export { comparePaths, groupSidecars } from './sidecars.ts'
