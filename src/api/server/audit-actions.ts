import { ownValue } from '../../core/values/record-keys.ts'
import type { FastifyRequest } from '../app-types.ts'
import { isSafe } from './browser-safety.ts'

/** Operations with an unsafe method that change nothing, with the reason. */
export const unaudited: Readonly<Record<string, string>> = {
  drawUnsavedStyleTile: 'draws a tile',
  checkNewDataStore: 'tries a connection',
  checkDataStore: 'tries a connection',
  checkCoverageStore: 'tries a connection',
  listDatabaseTables: 'lists tables',
  testCheck: 'sends a test message',
  beginPasskeySignIn: 'makes a challenge',
  beginPasskey: 'makes a challenge',
  writeUpload: 'sends bytes of an upload, whose begin is recorded',
  reload: 'changes nothing',
  putReload: 'changes nothing',
  reset: 'changes nothing',
  putReset: 'changes nothing',
  postWms: 'reads',
  postWorkspaceWms: 'reads',
  postWfs: 'reads',
  postWorkspaceWfs: 'reads',
  postWcs: 'reads',
  postWorkspaceWcs: 'reads',
  postOws: 'reads',
  postWorkspaceOws: 'reads',
}

/** Operations that sign users in or out. */
const signIns: Readonly<Record<string, string>> = {
  logIn: 'sign-in',
  logInByPasskey: 'sign-in',
  finishOidc: 'sign-in',
  logOut: 'sign-out',
  endByProvider: 'sign-out',
}

/** Operations of OGC services that change something, by their names in lower case. */
const serviceActions: Readonly<Record<string, string>> = {
  transaction: 'transactFeatures',
  lockfeature: 'lockFeatures',
  getfeaturewithlock: 'lockFeatures',
}

/** Returns the id of the operation of a request: of a request to WFS, that of what it asks for. */
export function operationOf({
  routeOptions,
  usedOperation,
  usedService,
}: FastifyRequest): string | undefined {
  const id = routeOptions.config?.operation?.id
  if (usedService !== 'OWS:WFS' || usedOperation === undefined) return id
  return ownValue(serviceActions, usedOperation.toLowerCase()) ?? id
}

/** Operations whose bodies and responses are features or files: their states are layer versions. */
const withoutBodies =
  /^(?:transactFeatures|lockFeatures|createFeature|replaceFeature|updateFeature|deleteFeature|sendRejects|uploadFiles?|uploadStoreFile|uploadCoverageFile|changeImportFile|changeTaskFile|loadDump)$/

/** Name of the action of an operation: `createUser` is `user.create`. */
export function actionOf(operationId: string): string {
  const signIn = ownValue(signIns, operationId)
  if (signIn !== undefined) return signIn
  const [verb = '', ...nouns] = operationId.split(/(?=[A-Z])/).map((word) => word.toLowerCase())
  return nouns.length === 0 ? verb : `${nouns.join('-')}.${verb}`
}

/** True if the operation of a request changes something, or signs in. */
export function isAudited(request: FastifyRequest): boolean {
  const id = operationOf(request)
  if (id === undefined) return false
  return (
    ownValue(signIns, id) !== undefined || (!isSafe(request.method) && ownValue(unaudited, id) === undefined)
  )
}

/** True if an entry may contain the body or the response. */
export function hasPlainBody(operationId: string): boolean {
  return !withoutBodies.test(operationId)
}

/** True if only administrators or staff may do it. */
export function isAdministration({ routeOptions }: FastifyRequest): boolean {
  const access = routeOptions.config?.access
  return access === 'admin' || access === 'staff'
}
