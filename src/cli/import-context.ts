import type { Prompt } from './ask.ts'
import type { ImportOptions } from './import-options.ts'
import type { TaskView } from './import-views.ts'
import type { ProgressDisplay } from './progress-display.ts'
import type { RestClient, RestRequests } from './rest-client.ts'

export type TargetOptions = Partial<
  Pick<
    ImportOptions,
    | 'workspace'
    | 'store'
    | 'srs'
    | 'reproject'
    | 'mode'
    | 'coordinates'
    | 'takesTables'
    | 'isPublic'
    | 'createsWorkspace'
    | 'allowsEmpty'
    | 'database'
    | 'keys'
    | 'deletesMissing'
    | 'stopIf'
    | 'isDryRun'
  >
>

export interface SessionContext {
  client: RestClient
  display: ProgressDisplay
  /** True to try paths on the server before uploading files. */
  isLocal: boolean
  /** Absent without an interactive terminal. */
  ask?: Prompt
}

/** A task before its load settings are sent. */
export interface PlannedTask {
  client: RestRequests
  /** Path of the task. */
  path: string
  workspace: string
  task: TaskView
  options: TargetOptions
}
