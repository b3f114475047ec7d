import type { Generated } from 'kysely'
import type { AccountTables } from './account-tables.ts'
import type { MonitoringTables } from './monitoring-tables.ts'

/**
 * Tables of the catalogue, the same on SQLite and PostgreSQL: times are ISO 8601 text in UTC, flags 0 or 1,
 * `document` and the like JSON text. Only repositories read and write them.
 */
export interface Tables extends AccountTables, MonitoringTables {
  settings: { name: string; value: string }
  /** Objects of the file store, and those that are to be removed. */
  files: {
    /** Key of the object: random, never used twice. */
    key: string
    folder: string
    /** Path within the folder. */
    name: string
    /** `writing`, `ready` or `removed`. */
    state: string
    size_bytes: number
    /** Modification time of the file in milliseconds since 1970. */
    modified_ms: number
    sha256: string | null
    /** Time at which its server last reported that it is writing the object. */
    seen_at: string
  }
  /** Resumable uploads, whose parts any server may receive. */
  uploads: {
    id: string
    owner: string
    length_bytes: number
    /** JSON of an `UploadRecord`. */
    document: string
    changed_at: string
    /** Random id of the request that receives a part now. */
    writer: string | null
    writer_until: string | null
  }
  upload_parts: { upload_id: string; start: number; size_bytes: number; key: string }
  nodes: {
    id: string
    host: string
    pid: number
    version: string
    started_at: string
    seen_at: string
    /** Comma-separated list of `NodeRole`. */
    roles: Generated<string>
    schema_version: Generated<number>
    clock_skew_ms: Generated<number>
  }
  counters: { name: string; value: number }
  layer_groups: {
    id: Generated<number>
    /** Empty for a global group. */
    workspace: string
    name: string
    /** A `GroupMode`. */
    mode: string
    title: string
    abstract: string | null
    created_at: string
    updated_at: string
  }
  layer_group_members: {
    group_id: number
    /** Drawing order, the lowest first. */
    position: number
    layer_id: number | null
    /** A group that is a member. */
    member_id: number | null
    /** Null: the style of the layer. */
    style: string | null
  }
  saved_maps: {
    name: string
    title: string
    owner: string | null
    is_public: number
    /** JSON of a `MapDocument`. */
    document: string
    created_at: string
    updated_at: string
  }
  idempotency_keys: {
    user_name: string
    key: string
    request_hash: string
    /** 0 while the first request is in progress. */
    status: number
    headers: string
    body: string
    created_at: string
  }
  workspaces: {
    name: string
    is_public: number
    created_at: string
    updated_at: string
    /** Limits; null: none. */
    quota_bytes: Generated<number | null>
    quota_layers: Generated<number | null>
    quota_versions: Generated<number | null>
  }
  stores: {
    id: Generated<number>
    workspace: string
    name: string
    kind: string
    type: string
    is_enabled: number
    is_default: number
    /** JSON of plain parameters. */
    parameters: string
    /** Encrypted JSON of secret parameters; empty if there are none. */
    secrets: string
    description: string | null
    created_at: string
    updated_at: string
    /** A `StoreMaker`; null for the server itself, and for stores older than this column. */
    made_by: Generated<string | null>
    /** True (1) if earlier versions of its layers are retained. */
    keeps_versions: Generated<number>
    /** JSON of a `Discovery`; null for a store without. */
    discovery: Generated<string | null>
  }
  styles: {
    id: Generated<number>
    workspace: string
    name: string
    format: string
    document: string
    created_at: string
    updated_at: string
  }
  layers: {
    id: Generated<number>
    workspace: string
    name: string
    store_id: number
    native_name: string
    /** JSON of a `LayerDetails`. */
    document: string
    created_at: string
    updated_at: string
    /** Incremented in the transaction of every change. */
    version: Generated<number>
    /** Cause of the last increment: a `VersionCause`. */
    version_cause: Generated<string>
    /** External state of the data when it was last read; null before. */
    seen_state: Generated<string | null>
    /** Null to use the setting of the workspace. */
    is_public: Generated<number | null>
  }
  layer_versions: {
    layer_id: number
    version: number
    workspace: string
    name: string
    created_at: string
    user_name: string | null
    /** A `VersionCause`. */
    cause: string
    import_id: number | null
    mode: string | null
    /** Number of rows of the layer; null if unknown. */
    row_count: number | null
    /** JSON of `ChangeCounts`. */
    changes: string | null
    /** JSON of a list of column names. */
    columns_changed: string
    /** JSON of a `LayerDetails`. */
    document: string
    store_id: number
    native_name: string
    is_public: number | null
    style_digest: string | null
    content_id: number
    is_pinned: Generated<number>
  }
  layer_contents: {
    id: Generated<number>
    store_id: number
    /** Table name in lower case. */
    table_key: string
    /** A `ContentForm`. */
    form: string
    /** Id of retained contents within the store. */
    kept_id: string | null
    /** JSON of retained contents. */
    kept: string | null
    /** Why it cannot be restored. */
    reason: string | null
    size_bytes: number | null
    /** Id of the contents that replaced these. */
    after_id: number | null
    /** External state of the table, if another program has changed it. */
    state: string | null
    began_at: string
    ended_at: string | null
  }
  kept_styles: { digest: string; format: string; document: string }
  layer_restores: {
    load_id: string
    store_id: number
    /** JSON of the running restore. */
    document: string
    created_at: string
  }
  layer_edits: {
    edit_id: string
    store_id: number
    /** JSON of an edit that its store is about to commit. */
    document: string
    created_at: string
  }
  /** Locks of WFS clients. */
  feature_locks: {
    /** Random id that the client sends with its edits. */
    id: string
    user_name: string
    /** Time until it expires, again after each partial release. */
    seconds: number
    expires_at: string
  }
  locked_features: { layer_id: number; feature_id: string; lock_id: string }
  imports: {
    id: number
    state: string
    next_task_id: number
    document: string
    created_at: string
    updated_at: string
    revision: number
  }
  tasks: {
    import_id: number
    id: number
    state: string
    /** Sort key of tasks: path of the main file without case. */
    sort_key: string
    document: string
    updated_at: string
    revision: number
  }
  granules: {
    import_id: number
    task_id: number
    /** Path relative to the data folder. */
    file_id: string
    sort_key: string
    /** JSON of a `GranuleRecord`. */
    document: string
  }
  jobs: {
    id: Generated<number>
    kind: string
    /** Jobs with the same key run in sequence; empty for none. */
    key: string
    payload: string
    state: string
    attempts: number
    lease_owner: string | null
    lease_until: string | null
    error: string | null
    created_at: string
    updated_at: string
    /** Jobs with a higher number run first. */
    priority: Generated<number>
    /** Time of the database before which it does not start; null for at once. */
    not_before: string | null
    /** Group, of which at most `group_limit` jobs run concurrently; empty for none. */
    group_key: Generated<string>
    group_limit: Generated<number>
    /** 1 if the process that runs it must stop it. */
    is_canceled: Generated<number>
    /** Owner that may claim it until `preferred_until`, a time of the database; null for any. */
    preferred_owner: string | null
    preferred_until: string | null
    /** The server that ran it last, as JSON of `JobNode`. */
    ran_on: string | null
    /** Code of the failure in `error`. */
    error_code: string | null
  }
  schedules: { name: string; next_at: string; last_at: string | null }
  generated_files: {
    id: string
    collection: string
    layer_id: number
    owner: string
    state: string
    job_id: number
    expires_at: string
    /** JSON of a `GeneratedFile`. */
    document: string
    /** Key of the finished file in `files`; null if it is in the folder of its collection. */
    file_key: Generated<string | null>
  }
  outbox: {
    id: Generated<number>
    /** Server that recorded the fact. */
    node: string
    name: string
    /** JSON of the fact. */
    fact: string
    /** PostgreSQL's number of the transaction that recorded it. */
    transaction_id: number
    created_at: string
  }
  sources: {
    id: Generated<number>
    name: string
    /** Name of the user whose rights its runs have. */
    owner: string
    is_enabled: number
    /** JSON of `SourceSettings`. */
    settings: string
    /** Encrypted password for its data; empty if there is none. */
    secrets: string
    /** Time of the next scheduled run; null without one. */
    next_run: string | null
    /** JSON of `Watched`; null while no folder is watched. */
    watched: string | null
    /** JSON of `SourceMemory`. */
    memory: string
    /** Notification check that tells its receivers. */
    check_id: number | null
    created_at: string
    updated_at: string
    revision: number
  }
  source_runs: {
    id: Generated<number>
    source_id: number
    trigger_kind: string
    /** Time at which it was due. */
    due_at: string
    /** Time before which its next attempt does not start. */
    not_before: string
    started_at: string | null
    /** Null while it waits or runs. */
    ended_at: string | null
    outcome: string | null
    attempts: number
    lease_owner: string | null
    /** Time of the database. */
    lease_until: string | null
    /** JSON of `RunDetails`. */
    document: string
  }
}
