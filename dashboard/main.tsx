/** Where the dashboard begins: theme, cache, and the nonce that lets the components' style elements in. */
import './component-styles.js';
import './style.css';
import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Router } from 'wouter';
import { createQueryClient } from './api/query-client.js';
import { App } from './app.js';
import { cssVariables, theme } from './theme.js';

const nonce = document.querySelector<HTMLMetaElement>('meta[name="style-nonce"]')?.nonce ?? '';
// What holds the page still behind a dialog writes a style element too, and looks for its nonce under this name.
Object.assign(globalThis, { __webpack_nonce__: nonce });
const colorScheme = localStorageColorSchemeManager({ key: 'postrider-color-scheme' });

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <MantineProvider
      theme={theme}
      defaultColorScheme="auto"
      colorSchemeManager={colorScheme}
      cssVariablesResolver={cssVariables}
      getStyleNonce={() => nonce}
    >
      <QueryClientProvider client={createQueryClient()}>
        <Router base="/dashboard">
          <App />
        </Router>
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
