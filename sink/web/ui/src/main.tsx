import { render } from 'preact'
import { hooks } from './api/client.ts'
import { App } from './App.tsx'
import * as router from './router.ts'
import * as theme from './theme.ts'
import './theme.css'
import './styles/app.css'

theme.start()
router.start()
hooks.onUnauthorized = () => {
  // The server's page takes the token and comes back to where this was.
  location.assign('/login?next=' + encodeURIComponent(location.pathname + location.search))
}

const page = document.getElementById('page')
if (page) render(<App />, page)
