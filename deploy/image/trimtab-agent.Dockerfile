# The image that `npm run image` builds without Docker, for those who build with a Dockerfile. Run in the repository:
#   npm run image -- trimtab-agent --rootfs
#   docker build -f deploy/image/trimtab-agent.Dockerfile --platform linux/amd64 -t trimtab-agent:0.1.0 .
FROM scratch
ARG TARGETARCH
COPY --chown=0:0 dist/images/rootfs/trimtab-agent/${TARGETARCH}/ /
LABEL org.opencontainers.image.description="Agent of Trimtab: writes configuration into files and makes the application of the pod reload it"
LABEL org.opencontainers.image.title="trimtab-agent"
USER 65532:65532
WORKDIR /
ENTRYPOINT ["/trimtab-agent"]
