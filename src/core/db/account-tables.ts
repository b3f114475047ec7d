import type { Generated } from 'kysely'

/** Tables of users, their rights and sign-ins, and of the audit log. */
export interface AccountTables {
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
    /** JSON list of scopes; null: all rights of the user. */
    scopes: Generated<string | null>
    workspace: Generated<string | null>
    /** JSON list of `<workspace>:<layer>`. */
    layers: Generated<string | null>
  }
  groups: {
    name: string
    title: string | null
    /** A `GroupSource`. */
    source: string
    created_at: string
    updated_at: string
  }
  /** Memberships; one row for each source that grants a membership. */
  group_members: { group_name: string; user_name: string; source: string }
  permissions: {
    id: Generated<number>
    /** Kind of a `Subject`. */
    subject: string
    user_name: string | null
    group_name: string | null
    /** Null for all workspaces. */
    workspace: string | null
    /** Null for all layers of the workspace. */
    layer_id: number | null
    /** Names of actions, separated by spaces. */
    actions: string
    created_at: string
    updated_at: string
  }
  sessions: {
    id_hash: string
    user_name: string
    csrf_token: string
    created_at: string
    expires_at: string
    via: Generated<string>
    address: Generated<string | null>
    agent: Generated<string | null>
    /** `sid` of the provider. */
    provider_session: Generated<string | null>
    /** Encrypted ID token, for the logout at the provider. */
    provider_token: Generated<string | null>
  }
  /** Accounts of sign-in providers. */
  user_identities: {
    /** `oidc <issuer>`, `ldap` or `header`. */
    provider: string
    subject: string
    user_name: string
    /** Encrypted. */
    refresh_token: string | null
    /** Last time at which the provider said that the account exists. */
    confirmed_at: string
    /** Last time at which the provider was asked. */
    checked_at: string
  }
  user_totp: {
    user_name: string
    /** Encrypted. */
    secret: string
    confirmed_at: string | null
    /** Time step of the last accepted code. */
    last_step: Generated<number>
    /** JSON list of digests. */
    recovery_codes: Generated<string>
  }
  user_passkeys: {
    id: string
    user_name: string
    caption: string
    public_key: string
    counter: number
    transports: string
    created_at: string
    last_used_at: string | null
  }
  audit_entries: {
    id: Generated<number>
    /** Day of the seal. */
    day: string
    time: string
    user_name: string | null
    via: string
    address: string | null
    action: string
    outcome: string
    resource: string | null
    before: string | null
    after: string | null
    request: string | null
  }
  audit_seals: {
    day: string
    entries: number
    digest: string
    previous: string
    seal: string
    key_name: string
    sealed_at: string
    expired_at: string | null
    expiry_seal: string | null
  }
  failed_logins: { key: string; failures: number; last_at: string }
}
