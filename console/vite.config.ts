import tailwind from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { beginEarly } from './build/begin-early.ts';
import { compressFiles } from './build/compress-files.ts';
import { evaluateInParts } from './build/evaluate-in-parts.ts';
import { listDocuments } from './build/list-documents.ts';
import { preloadFonts } from './build/preload-fonts.ts';

export default defineConfig({
  root: import.meta.dirname,
  // Where the console is served is known only when it is: addresses are relative to the `<base>` that the server writes.
  base: './',
  plugins: [
    react(),
    tailwind(),
    preloadFonts(),
    beginEarly(),
    evaluateInParts(),
    compressFiles(),
    listDocuments(),
  ],
  build: {
    target: 'es2023',
    modulePreload: { polyfill: false },
    // The content security policy allows no `data:` font or style.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        // Each part of the first page is evaluated by itself. What several pages share comes with the first page: a file of its own
        // costs more than its few bytes.
        codeSplitting: {
          groups: [
            { name: 'react', test: /node_modules\/(react|react-dom|scheduler)\//, priority: 2 },
            {
              name: 'router',
              test: /node_modules\/@tanstack\/(react-router|router-core|history|react-query|query-core)\//,
              priority: 1,
            },
            { name: 'parts', test: /node_modules\/@(base-ui|floating-ui)\//, priority: 1 },
            // The first format of a number costs a browser several milliseconds.
            { name: 'format', test: /console\/src\/format/, priority: 1 },
            { name: 'shell', test: /console\/src\/(data|format|shell|router)/ },
          ],
        },
      },
    },
  },
});
