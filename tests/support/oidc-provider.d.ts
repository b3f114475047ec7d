/** The parts of oidc-provider that tests use; the package has no types. */
declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http'

  interface Grant {
    addOIDCScope(scope: string): void
    save(): Promise<string>
  }

  interface Configuration {
    interactions: { url(context: unknown, interaction: { uid: string }): string }
    findAccount(
      context: unknown,
      subject: string,
    ): { accountId: string; claims(): Record<string, unknown> } | undefined
    [option: string]: unknown
  }

  export class Provider {
    constructor(issuer: string, configuration: Configuration)
    readonly Grant: new (of: {
      accountId: string
      clientId: string
    }) => Grant
    callback(): (request: IncomingMessage, response: ServerResponse) => void
    use(middleware: (context: { body: unknown }, next: () => Promise<void>) => Promise<void>): void
    interactionDetails(
      request: IncomingMessage,
      response: ServerResponse,
    ): Promise<{ prompt: { name: string }; params: Record<string, unknown> }>
    interactionFinished(request: IncomingMessage, response: ServerResponse, result: object): Promise<void>
  }
}
