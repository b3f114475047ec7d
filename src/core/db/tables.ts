import type { Generated } from 'kysely'

/**
 * Tables of the catalogue, the same on SQLite and PostgreSQL: times are ISO 8601 text in UTC, flags 0 or 1,
 * `document` and the like JSON text. Only repositories read and write them.
 */
export interface Tables {
  settings: { name: string; value: string }
  nodes: { id: string; host: string; pid: number; version: string; started_at: string; seen_at: string }
  /** Objects of the file store, and those that are to be removed. */
  files: {
    /** Key of the object: random, never used twice. */
    key: string
    folder: string
    /** Path within the folder. */
    name: string
    /** A `StoredFileState`. */
    state: string
    size_bytes: number
    /** Modification time of the file in milliseconds since 1970. */
    modified_ms: number
    sha256: string | null
    /** Last time its server was writing it. */
    seen_at: string
  }
  /** Uploads that any server receives in parts. */
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
  generated_files: {
    id: string
    /** `downloads` or `exports`. */
    kind: string
    /** JSON of a `GeneratedFile`. */
    document: string
    /** Last time its server was working on it. */
    seen_at: string
  }
  counters: { name: string; value: number }
  users: {
    name: string
    email: string | null
    role: string
    password_hash: string
    created_at: string
    updated_at: string
    enabled: Generated<number>
  }
  tokens: {
    id: Generated<number>
    user_name: string
    caption: string
    token_hash: string
    created_at: string
    expires_at: string | null
    last_used_at: string | null
  }
  sessions: { id_hash: string; user_name: string; csrf_token: string; created_at: string; expires_at: string }
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
  workspaces: { name: string; is_public: number; created_at: string; updated_at: string }
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
  }
  hosts: { id: Generated<number>; name: string; ip: string }
  services: {
    id: Generated<number>
    name: string
    type: string
    host_id: number
    url: string
    notes: string
    is_active: number
    /** Seconds. */
    check_interval: number
    last_check: string | null
    /** JSON of a `ServiceSource` without its password. */
    source: string
    /** Encrypted; empty when there is none. */
    password: string
  }
  notification_checks: {
    id: Generated<number>
    name: string
    description: string
    severity: string
    is_active: number
    grace_seconds: number
    window_seconds: number
    /** Time of the last delivered message about a problem. */
    last_send: string | null
    failing_since: string | null
    /** End of the last period that a server has evaluated, in seconds since 1970. */
    evaluated_to: number
    revision: number
  }
  notification_definitions: {
    id: Generated<number>
    check_id: number
    metric: string
    field_option: string
    description: string
    /** JSON of a `DefinitionBounds`. */
    document: string
    /** JSON of a `Threshold`; null if nothing is compared. */
    threshold: string | null
  }
  notification_receivers: {
    id: Generated<number>
    check_id: number
    kind: string
    /** Only for a user. */
    user_name: string | null
    /** User name, address or URL. */
    target: string
    /** Encrypted secret of a webhook; empty otherwise. */
    secret: string
  }
  notification_deliveries: {
    id: Generated<number>
    check_id: number
    receiver_id: number
    /** As a text for people. */
    receiver: string
    kind: string
    /** JSON of a `Message`. */
    message: string
    state: string
    attempts: number
    next_try: string
    leased_until: string | null
    error: string | null
    created_at: string
    finished_at: string | null
  }
}
