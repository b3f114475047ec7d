import type { FastifyRequest } from './app-types.ts'

/** Returns the URI of the namespace of the features of a workspace in WFS. */
export function namespaceOf(request: FastifyRequest, workspace: string): string {
  return request.link(`/${encodeURIComponent(workspace)}/wfs`)
}
