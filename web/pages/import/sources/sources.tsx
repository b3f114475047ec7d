import type { ComponentType } from 'preact'
import { Icon } from '../../../components/icon.tsx'
import { query, setQuery } from '../../../lib/router.ts'
import { sourcesTexts } from '../../../messages/import/texts.ts'
import { session } from '../../../session/session.ts'
import { AddressForm } from './address-form.tsx'
import { DatabaseForm } from './database-form.tsx'
import { FolderBrowser } from './folder-browser.tsx'

const sources: readonly { name: 'address' | 'folder' | 'database'; icon: string; Form: ComponentType }[] = [
  { name: 'address', icon: 'link', Form: AddressForm },
  { name: 'folder', icon: 'server', Form: FolderBrowser },
  { name: 'database', icon: 'db', Form: DatabaseForm },
]

/** Data at other locations; the selected kind is in the address. */
export function Sources() {
  const texts = sourcesTexts.value
  const open = query.value.get('from')
  const isAdmin = session.value?.role === 'admin'
  return (
    <section class="stack s2" aria-label={texts.title}>
      <h2>{texts.title}</h2>
      {sources.map(({ name, icon, Form }) => {
        const isOpen = open === name
        return (
          <div key={name} class="panel source">
            <button
              type="button"
              aria-expanded={isOpen}
              onClick={() => setQuery({ from: isOpen ? undefined : name })}
            >
              <Icon name={icon} />
              <span>
                <b>{texts.names[name]}</b>
                <small>{texts.hints[name]}</small>
              </span>
              <Icon name={isOpen ? 'down' : 'right'} />
            </button>
            {isOpen &&
              (name === 'database' && !isAdmin ? (
                <p class="body dim">{texts.adminsOnly}</p>
              ) : (
                <div class="body">
                  <Form />
                </div>
              ))}
          </div>
        )
      })}
    </section>
  )
}
